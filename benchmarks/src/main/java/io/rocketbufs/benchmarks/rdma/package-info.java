/** The comparison of the RDMA path in Java with a C program over libfabric: {@code bin/bench rdma}. */
package io.rocketbufs.benchmarks.rdma;
