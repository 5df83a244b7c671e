/** The texts of addresses and failures, the same in every log line, error and page. */
package io.rocketbufs.text;
