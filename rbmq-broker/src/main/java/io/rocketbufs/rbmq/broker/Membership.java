package io.rocketbufs.rbmq.broker;

/**
 * A member's share of one publisher's buffer.
 *
 * @param source the publisher's buffer
 * @param group the group's reader of it
 * @param buffer the member's buffer
 */
record Membership(GroupSource source, GroupBuffer group, MemberBuffer buffer) {}
