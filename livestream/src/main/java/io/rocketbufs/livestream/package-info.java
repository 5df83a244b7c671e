/** The settings, layouts and names of live video that relay, edges and command line share. */
package io.rocketbufs.livestream;
