/** A JUnit Jupiter extension for testing programs that use RBMQ. */
package io.rocketbufs.rbmq.test;
