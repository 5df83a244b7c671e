/** The parts shared by the command-line programs: options, configuration, exit codes, signals, and child processes. */
package io.rocketbufs.cli;
