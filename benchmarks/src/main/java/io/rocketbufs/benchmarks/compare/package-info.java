/** The experiments of the paper, which compare RBMQ with other brokers and with a bare relay. */
package io.rocketbufs.benchmarks.compare;
