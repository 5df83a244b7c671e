package io.rocketbufs.cli;

import picocli.CommandLine.Option;

/** A mixin with the {@code --version} option of a program. */
public final class VersionOption {
    @Option(names = "--version", versionHelp = true, description = "Shows the version and exits.")
    boolean version;
}
