/** What command lines share: options, configuration, exit codes, signals, and the processes that they start. */
package io.rocketbufs.cli;
