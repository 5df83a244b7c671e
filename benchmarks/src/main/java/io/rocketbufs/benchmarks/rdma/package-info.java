/** The RDMA path in Java beside C over libfabric: {@code bin/bench rdma}. */
package io.rocketbufs.benchmarks.rdma;
