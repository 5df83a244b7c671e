/** What ingest and delivery have in common: certificates, TLS servers, pages over HTTP/1.1. */
package io.rocketbufs.livestream.web;
