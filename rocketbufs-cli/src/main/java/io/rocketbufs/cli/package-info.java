/** Common parts of the command lines: options, configuration, exit codes, signals, and child processes. */
package io.rocketbufs.cli;
