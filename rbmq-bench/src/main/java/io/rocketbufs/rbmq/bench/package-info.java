/** What a benchmark sends, checks and measures; apart from the command line, and without an allocation per message. */
package io.rocketbufs.rbmq.bench;
