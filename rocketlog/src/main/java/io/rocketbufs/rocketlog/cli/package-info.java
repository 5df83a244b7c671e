/** The command line of rocketlog: the broker, its clients, and tools that inspect the files of a log. */
package io.rocketbufs.rocketlog.cli;
