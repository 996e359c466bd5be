/** What a child is given of the host's environment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentFor } from "../../src/host/environment.ts";

const HOST = {
  PATH: "/bin",
  HOME: "/root",
  LANG: "C.UTF-8",
  TMPDIR: "/t",
  SECRET_TOKEN: "s",
  AWS_SECRET_ACCESS_KEY: "k",
  NODE_OPTIONS: "-r x",
};

test("[X-16] [D18] only safe variables reach a child, then the manifest's, then the protocol's", () => {
  const {
    PYTHONUTF8: _,
    PYTHONUNBUFFERED: __,
    ...environment
  } = environmentFor({
    host: HOST,
    manifest: { A: "1", LANG: "de_DE.UTF-8", MX_EXTENSION_ID: "mine" },
    protocol: { MX_EXTENSION_ID: "theirs" },
  });
  assert.deepEqual(
    { ...environment },
    { PATH: "/bin", HOME: "/root", TMPDIR: "/t", A: "1", LANG: "de_DE.UTF-8", MX_EXTENSION_ID: "theirs" },
  );
});

test("[X-16] every safe variable reaches a child", () => {
  const names =
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES TZ TERM TMPDIR TMP TEMP SystemRoot SystemDrive " +
    "windir ComSpec PATHEXT USERPROFILE USERNAME HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA ProgramData ProgramFiles " +
    "NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE";
  const host = Object.fromEntries(names.split(" ").map((name) => [name, `${name}'s`]));
  const { PYTHONUTF8: _, PYTHONUNBUFFERED: __, ...environment } = environmentFor({ host });
  assert.deepEqual({ ...environment }, host);
});

test("[D18] an undefined value takes a variable away and never becomes a text", () => {
  const environment = environmentFor({
    host: { ...HOST, USER: undefined },
    manifest: { HOME: undefined, B: undefined },
  });
  assert.ok(!("HOME" in environment) && !("B" in environment) && !("USER" in environment));
  assert.ok(!Object.values(environment).includes("undefined"));
});

test("[X-16] a secret is handed on only when the manifest names it", () => {
  const environment = environmentFor({ host: HOST, pass: ["SECRET_TOKEN", "NOT_SET"] });
  assert.equal(environment["SECRET_TOKEN"], "s");
  assert.ok(!("NOT_SET" in environment) && !("AWS_SECRET_ACCESS_KEY" in environment));
});

test("[D18] PATH is found by any case that Windows gives it, and replaced as one variable", () => {
  assert.equal(environmentFor({ host: { Path: "C:\\bin" } })["Path"], "C:\\bin");
  const environment = environmentFor({ host: { Path: "C:\\bin" }, manifest: { PATH: "D:\\bin" } });
  assert.equal(environment["PATH"], "D:\\bin");
  assert.ok(!("Path" in environment));
});

test("[A14] Python children speak UTF-8 and at once, unless the manifest says otherwise", () => {
  assert.deepEqual({ ...environmentFor({ host: {} }) }, { PYTHONUTF8: "1", PYTHONUNBUFFERED: "1" });
  assert.ok(!("PYTHONUTF8" in environmentFor({ host: {}, manifest: { PYTHONUTF8: undefined } })));
});

test("[X-16] a variable called __proto__ is passed on like any other", () => {
  const environment = environmentFor({ host: {}, manifest: JSON.parse('{ "__proto__": "kept" }') });
  assert.deepEqual(Object.entries(environment).at(-1), ["__proto__", "kept"]);
});
