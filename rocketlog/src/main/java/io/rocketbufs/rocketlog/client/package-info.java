/** The clients of the log: producers, and questions about topics. */
package io.rocketbufs.rocketlog.client;
