/** RocketNet over RDMA: write-with-immediate through libfabric. */
package io.rocketbufs.rocketnet.rdma;
