import type { EventEmitter } from "node:events";
import type { Argument, Command, Option } from "commander";

/** The manual page knowd(1), made of the same definitions as `--help`. */
export function renderManual(program: Command, version: string): string {
  const verbs = program.commands.flatMap((command) => describe(command, program.name()));
  return [
    `.\\" Made of the command line's definitions by the build`,
    `.TH KNOWD 1 "" "knowd ${version}" "User Commands"`,
    ".SH NAME",
    `knowd \\- ${firstInLower(escape(program.description())).replace(/\.$/, "")}`,
    ".SH SYNOPSIS",
    ".B knowd",
    ".I command",
    "[\\fIoption\\fR]... [\\fIargument\\fR]...",
    ".SH DESCRIPTION",
    escape(program.description()),
    "Every command takes the options below.",
    ...program.options.flatMap(describeOption),
    ".SH COMMANDS",
    ...verbs,
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => [".TP", `.B ${code}`, escape(meaning)]),
    ".SH ENVIRONMENT",
    ...VARIABLES.flatMap(([name, meaning]) => [".TP", `.B ${name}`, escape(meaning)]),
    ".SH FILES",
    ...FILES.flatMap(([file, meaning]) => [".TP", `.I ${escape(file)}`, escape(meaning)]),
    "",
  ].join("\n");
}

const EXIT_CODES = [
  ["0", "done"],
  ["1", "failed"],
  ["2", "something is wrong with what was typed, or with the configuration"],
  ["3", "no daemon answers"],
  ["4", "what was named, or searched for, is not there"],
] as const;

const VARIABLES = [
  ["KNOWD_DATA_DIR", "as --data-dir"],
  ["KNOWD_SOCKET", "as --socket"],
  ["KNOWD_CONFIG", "as --config"],
  ["NO_COLOR", "when set, no colours"],
  ["FORCE_COLOR", "when set, colours also where the output is no terminal"],
] as const;

const FILES = [
  ["$XDG_CONFIG_HOME/knowd/config.toml", "settings"],
  ["$XDG_DATA_HOME/knowd/", "the catalogue and the bases"],
  ["$XDG_RUNTIME_DIR/knowd/knowd.sock", "the socket"],
  ["$XDG_STATE_HOME/knowd/knowd.log", "what a daemon in the background says"],
] as const;

/** A command and those below it; one that only holds others is left out. */
function describe(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((below) => describe(below, name));
  const usage = command.registeredArguments.map((argument) => escape(argumentUsage(argument)));
  return [
    `.SS "${escape([name, ...usage].join(" "))}"`,
    escape(command.description()),
    ...command.registeredArguments
      .filter((argument) => argument.description !== "")
      .flatMap((argument) => [".TP", `.I ${escape(argument.name())}`, escape(argument.description)]),
    ...command.options.filter((option) => !option.hidden).flatMap(describeOption),
    ...moreOf(command),
  ];
}

function argumentUsage(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function describeOption({ flags, description, argChoices }: Option): string[] {
  const choices = argChoices ? ` (${argChoices.join(", ")})` : "";
  return [".TP", `.B ${escape(flags)}`, escape(description + choices)];
}

/** What `--help` says behind the options, as it stands. */
function moreOf(command: Command): string[] {
  let text = "";
  const write = (part: string): void => void (text += part);
  // Its types hide that a command emits what it writes around its help.
  (command as unknown as EventEmitter).emit("afterHelp", { error: false, command, write });
  return text.trim() === "" ? [] : [".PP", ".nf", escape(text.trim()), ".fi"];
}

function firstInLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Dashes that are typed, backslashes, and a dot or quote at a line's start, which would be a request. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1")
    .replaceAll('"', "\\(dq")
    .replaceAll("…", "...");
}
