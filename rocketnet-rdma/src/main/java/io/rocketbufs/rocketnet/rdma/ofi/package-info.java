/** A one-to-one binding of libfabric: its functions, structures and constants, without any policy. */
package io.rocketbufs.rocketnet.rdma.ofi;
