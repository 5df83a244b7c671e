/** The transport interface over Netty. */
package io.rocketbufs.rocketnet.tcp;
