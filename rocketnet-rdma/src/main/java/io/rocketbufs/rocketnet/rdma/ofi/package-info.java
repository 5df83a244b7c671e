/** libfabric as it is: its calls, structures and constants, one to one, without any policy. */
package io.rocketbufs.rocketnet.rdma.ofi;
