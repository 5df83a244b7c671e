/** The transport interface over TCP, built on Netty. */
package io.rocketbufs.rocketnet.tcp;
