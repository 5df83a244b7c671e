/** An extension of JUnit Jupiter for tests of programs that use RBMQ. */
package io.rocketbufs.rbmq.test;
