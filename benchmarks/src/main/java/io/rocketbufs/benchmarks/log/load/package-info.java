/** The program that produces and consumes records with a log's client library, as a separate process. */
package io.rocketbufs.benchmarks.log.load;
