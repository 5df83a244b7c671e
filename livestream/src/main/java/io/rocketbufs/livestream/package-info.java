/** Live video: the settings, layouts and names that relay, edges and command line share. */
package io.rocketbufs.livestream;
