/** Live video: what relay, edges and command line have in common: settings, layouts, names. */
package io.rocketbufs.livestream;
