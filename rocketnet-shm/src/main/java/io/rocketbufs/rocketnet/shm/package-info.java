/** RocketNet through shared memory, between processes of one machine. */
package io.rocketbufs.rocketnet.shm;
