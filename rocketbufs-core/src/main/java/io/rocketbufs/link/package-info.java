/** The sending side of a connection: its tasks, control queue and heartbeat. Knows no subscription and no message. */
package io.rocketbufs.link;
