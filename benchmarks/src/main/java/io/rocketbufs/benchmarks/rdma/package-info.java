/** The RDMA path in Java compared with C over libfabric: {@code bin/bench rdma}. */
package io.rocketbufs.benchmarks.rdma;
