/** The clients of the log: producers, consumers, and a client that lists and creates topics. */
package io.rocketbufs.rocketlog.client;
