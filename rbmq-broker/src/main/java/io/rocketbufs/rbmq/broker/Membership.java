package io.rocketbufs.rbmq.broker;

/**
 * A member's share of one publisher's buffer.
 *
 * @param group the group's reader of the publisher's buffer
 * @param buffer the member's buffer
 */
record Membership(GroupBuffer group, MemberBuffer buffer) {}
