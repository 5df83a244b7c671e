/** The command line of rocketlog: tools that inspect the files of a log. */
package io.rocketbufs.rocketlog.cli;
