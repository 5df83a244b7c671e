/** A server for HTTP/1.1 and TLS: connections and their limits, requests and answers, certificates, metrics. */
package io.rocketbufs.web;
