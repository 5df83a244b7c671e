/** The program that produces and consumes records with the client library of a log, as a separate process. */
package io.rocketbufs.benchmarks.log.load;
