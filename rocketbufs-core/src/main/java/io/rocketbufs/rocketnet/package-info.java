/** The transport interface: Transport, TransportListener, Connection, RemoteBuffer, capabilities. */
package io.rocketbufs.rocketnet;
