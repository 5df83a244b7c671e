/** The command line: arguments, output and exit codes. */
package io.rocketbufs.rbmq.cli;
