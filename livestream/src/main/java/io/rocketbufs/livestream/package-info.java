/** The settings, message layouts and names that the relay, the edges and the command line share. */
package io.rocketbufs.livestream;
