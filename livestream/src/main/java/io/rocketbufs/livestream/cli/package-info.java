/** The {@code livestream} command. */
package io.rocketbufs.livestream.cli;
