package io.rocketbufs.cli;

import picocli.CommandLine.Option;

/** The option {@code --version} of a program, as a mixin. */
public final class VersionOption {
    @Option(names = "--version", versionHelp = true, description = "Shows the version and exits.")
    boolean version;
}
