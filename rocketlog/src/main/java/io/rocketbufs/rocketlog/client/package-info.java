/** The clients of the log: producers, consumers, and a client that manages topics. */
package io.rocketbufs.rocketlog.client;
