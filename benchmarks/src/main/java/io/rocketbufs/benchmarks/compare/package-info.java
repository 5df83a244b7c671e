/** RBMQ compared with other brokers, and with a bare relay: the experiments of the paper. */
package io.rocketbufs.benchmarks.compare;
