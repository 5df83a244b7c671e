/** Emulated sources and viewers for measurements and checks. */
package io.rocketbufs.livestream.bench;
