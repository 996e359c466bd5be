/** `extwire extension`: this program as one of the examples. Loads the example and nothing else. */

export async function dharaExtension(): Promise<void> {
  const [{ serve }, { extension }] = await Promise.all([
    import("../../adapters/node_serve.ts"),
    import("../../../examples/dhara/extension.ts"),
  ]);
  await serve(extension);
}

export async function mxExtension({ save }: { readonly save?: string } = {}): Promise<void> {
  const { watchScreens } = await import("../../../examples/mx/watch.ts");
  await watchScreens(save === undefined ? {} : { saveTo: save });
}
