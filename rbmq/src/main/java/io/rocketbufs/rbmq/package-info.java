/** Topics, publisher, broker, subscriber. */
package io.rocketbufs.rbmq;
