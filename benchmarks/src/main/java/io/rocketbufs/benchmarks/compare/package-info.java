/** RBMQ side by side with other brokers, and with a relay that does nothing else: the experiments of the paper. */
package io.rocketbufs.benchmarks.compare;
