/** The transport interface: transports, listeners, connections, remote buffers and capabilities. */
package io.rocketbufs.rocketnet;
