/** The commands, their flags and their help. Only what a command needs is loaded, when it runs. */
import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  EnumValidationError,
  FlagNotFoundError,
  text_en,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import { nearest } from "../dhara/suggest.ts";
import { parseByteSize } from "./byte_size.ts";
import { notOneOf } from "./choice.ts";
import type { Cli } from "./context.ts";
import { parseDuration } from "./duration.ts";
import { UsageError } from "./errors.ts";
import { VERSION } from "./version.ts";

const text = (value: string): string => value;

/** A flag that takes any text, and may be left out. */
function textFlag(placeholder: string, brief: string) {
  return { kind: "parsed", parse: text, placeholder, brief, optional: true } as const;
}

function switchFlag(brief: string) {
  return { kind: "boolean", brief, optional: true, withNegated: false } as const;
}

/** Those of `names` that start with a partial word. */
function startingWith(...names: readonly string[]) {
  return (partial: string): string[] => names.filter((name) => name.startsWith(partial));
}

const json = switchFlag("Print the result as JSON");
const jsonEvents = switchFlag("Print one JSON event per line");
const verbose = switchFlag("Show the extension's stderr and all invalid output as they come");
const trace = switchFlag("Show every message to and from the extension, with the time");
const PROTOCOLS = ["dhara", "mx"] as const;
const protocol = {
  kind: "enum",
  values: PROTOCOLS,
  brief: "Protocol of the command after -- (default dhara)",
  optional: true,
} as const;
const timeout = { kind: "parsed", parse: parseDuration, placeholder: "30s", optional: true } as const;
const maxMessageBytes = {
  kind: "parsed",
  parse: parseByteSize,
  placeholder: "64MiB",
  brief: "Longest message to or from an extension (default 64MiB)",
  optional: true,
} as const;
const targetParameter = {
  brief: "Manifest file, its folder, demo:dhara or demo:mx; leave it out when a command follows --",
  placeholder: "TARGET",
  parse: text,
  proposeCompletions: startingWith("demo:dhara", "demo:mx"),
} as const;

const tools = buildCommand({
  loader: async () => (await import("./commands/tools.ts")).tools,
  parameters: {
    flags: { json, verbose, trace, protocol, maxMessageBytes },
    positional: { kind: "tuple", parameters: [{ ...targetParameter, optional: true }] },
  },
  docs: {
    brief: "List an extension's tools",
    fullDescription: "Starts the extension, lists its tools, stops it.",
    customUsage: ["[--json] TARGET", "[--json] [--protocol dhara|mx] -- COMMAND ARGS..."],
  },
});

const call = buildCommand({
  loader: async () => (await import("./commands/call.ts")).call,
  parameters: {
    flags: {
      input: textFlag("JSON|@file|-", "The whole input: JSON, @file, or - for stdin"),
      arg: {
        ...textFlag(
          "key=value",
          "One parameter, converted to the type in the tool's schema; a.b=1 sets a nested member; repeat for an array",
        ),
        variadic: true,
      },
      timeout: {
        ...timeout,
        brief: "Stop the extension if the tool takes longer (default 30s, or the manifest's timeoutMs)",
      },
      save: textFlag("DIR", "Save images and files of the result in this folder"),
      json,
      verbose,
      trace,
      protocol,
      maxMessageBytes,
    },
    positional: {
      kind: "tuple",
      parameters: [
        { ...targetParameter, optional: true },
        { brief: "Name of the tool", placeholder: "TOOL", parse: text, optional: true },
      ],
    },
  },
  docs: {
    brief: "Run one tool of an extension",
    fullDescription: [
      "Starts the extension, runs the tool, stops the extension. Text goes to stdout, progress to stderr; images are",
      "shown if the terminal can; otherwise they are saved and their paths printed.",
      "",
      "  extwire call demo:dhara fetch_url --arg url=https://example.com",
      "  extwire call fetch_url --arg url=https://example.com -- python3 main.py",
    ].join("\n"),
    customUsage: [
      "TARGET TOOL [--input JSON|@file|-] [--arg key=value]...",
      "TOOL [--arg key=value]... -- COMMAND ARGS...",
    ],
  },
});

const run = buildCommand({
  loader: async () => (await import("./commands/run.ts")).run,
  parameters: {
    flags: {
      config: textFlag("FILE", "Manifest file that lists the extensions"),
      json: jsonEvents,
      trace,
      protocol,
      maxMessageBytes,
    },
    positional: { kind: "array", parameter: targetParameter },
  },
  docs: {
    brief: "Host extensions until Ctrl-C",
    fullDescription: [
      "Starts all of them, shows their status and output as they come, restarts those that fail, and stops them in",
      "parallel. Without a TARGET it reads extwire.yaml, extwire.toml or extwire.json in the working folder.",
    ].join("\n"),
    customUsage: [
      "[--json] TARGET...",
      "[--json] [--config FILE]",
      "[--json] [--protocol dhara|mx] -- COMMAND ARGS...",
    ],
  },
});

const dhara = buildCommand({
  async func() {
    await (await import("./commands/extension.ts")).dharaExtension();
  },
  parameters: {},
  docs: { brief: "Run as the example Dhara extension, over stdin and stdout" },
});

const mx = buildCommand({
  async func(flags: { readonly save?: string }) {
    await (await import("./commands/extension.ts")).mxExtension(flags);
  },
  parameters: {
    flags: {
      save: textFlag("DIR", "Save each captured framebuffer in this folder"),
    },
  },
  docs: { brief: "Run as the example MX extension; a host sets the MX_ variables" },
});

const demo = buildCommand({
  loader: async () => (await import("./commands/demo.ts")).demo,
  parameters: {
    flags: {
      json: jsonEvents,
      save: textFlag("DIR", "Save the pictures in this folder"),
    },
  },
  docs: {
    brief: "Host both examples, call tools, capture a framebuffer",
    fullDescription: "Needs no network and nothing installed, and takes a few seconds.",
  },
});

const completion = buildCommand({
  loader: async () => (await import("./commands/completion.ts")).completion,
  parameters: {
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "bash, zsh or fish",
          placeholder: "SHELL",
          parse: text,
          proposeCompletions: startingWith("bash", "zsh", "fish"),
        },
      ],
    },
  },
  docs: {
    brief: "Print a completion script for a shell",
    fullDescription: [
      "  bash: source <(extwire completion bash)",
      "  zsh:  source <(extwire completion zsh)",
      "  fish: extwire completion fish | source",
    ].join("\n"),
  },
});

const extension = buildRouteMap({
  routes: { dhara, mx },
  docs: { brief: "Run as one of the example extensions" },
});

/** What to write where SHELL is missing, which is all that has to be there. */
const NO_SHELL = "for which shell? Write extwire completion bash, extwire completion zsh or extwire completion fish";

/** The whole command line for these `words`. `explain` is given what a command threw, or a mistake in them, and says how it is told. */
export function application(words: readonly string[], explain: (error: unknown) => string): Application<Cli> {
  return buildApplication<Cli>(
    buildRouteMap({
      routes: { tools, call, run, demo, extension, completion },
      docs: {
        brief: "Hosts and runs extensions that speak Dhara (JSON lines on stdio) or MX v1 (frames over TCP)",
        fullDescription: [
          "Hosts and runs extensions that speak Dhara (JSON lines on stdio) or MX v1 (frames over TCP).",
          "",
          "Exit codes: 0 done, 1 the tool or extension answered with an error, 2 wrong usage,",
          "3 the extension could not be started, 4 timeout; 130, 143 or 129 interrupted by Ctrl-C, SIGTERM or SIGHUP.",
        ].join("\n"),
      },
    }),
    {
      name: "extwire",
      versionInfo: { currentVersion: VERSION },
      scanner: { caseStyle: "allow-kebab-for-camel" },
      documentation: { caseStyle: "convert-camel-to-kebab" },
      localization: {
        text: {
          ...text_en,
          noCommandRegisteredForInput: ({ input, corrections }) => explain(noCommand(words, input, corrections)),
          exceptionWhileParsingArguments(error, ansiColor) {
            if (error instanceof UnsatisfiedPositionalError) return explain(new UsageError(NO_SHELL));
            const wrong = flagMistake(error) ?? text_en.exceptionWhileParsingArguments.call(this, error, ansiColor);
            return explain(new UsageError(`${wrong}\nAdd --help to see the usage.`));
          },
          exceptionWhileLoadingCommandFunction: explain,
          exceptionWhileLoadingCommandContext: explain,
          exceptionWhileRunningCommand: explain,
        },
      },
    },
  );
}

/** What is wrong with a flag, where the parser does not name what it takes, or thinks of what has nothing in common with it. */
function flagMistake(error: unknown): string | undefined {
  if (error instanceof EnumValidationError) return notOneOf(`--${error.externalFlagName}`, error.input, error.values);
  if (error instanceof UnsatisfiedFlagError && error.externalFlagName === "protocol") {
    return `--protocol takes ${PROTOCOLS.join(" or ")}`;
  }
  if (!(error instanceof FlagNotFoundError)) return undefined;
  const meant = nearest(error.input, error.corrections);
  return `there is no flag --${error.input} here${meant === undefined ? "" : `; did you mean --${meant}?`}`;
}

/** `near` are the commands that the parser thinks of, which may share no more than a letter or two with `input`. */
function noCommand(words: readonly string[], input: string, near: readonly string[]): UsageError {
  const above = words[0] === "extension" ? "extension " : "";
  const what = `there is no command "${above}${input}"`;
  if (above === "" && input === "version") return new UsageError(`${what}; extwire --version prints it`);
  const meant = nearest(
    input,
    near.map((name) => name.replaceAll("`", "")),
  );
  const next = meant === undefined ? `extwire ${above}--help lists them` : `did you mean ${above}${meant}?`;
  return new UsageError(`${what}; ${next}`);
}
