/** The parts that the command-line programs share: options, configuration, exit codes, signals, and child processes. */
package io.rocketbufs.cli;
