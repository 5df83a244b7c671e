package io.rocketbufs.rbmq.system;

import io.rocketbufs.rbmq.TransportPair;
import java.util.ArrayList;
import java.util.List;

/**
 * A broker whose clients are commands. Commands that a test neither kills nor stops run on threads of the test and are
 * called local.
 */
interface TestedBroker extends AutoCloseable {
    /** Returns the transports that the clients use. */
    TransportPair pair();

    /** Returns the address for publishers. */
    String address();

    /** Returns the address for subscribers. */
    String subscribersAddress();

    /** Returns the options that every client needs in addition to the address. */
    List<String> clientArguments();

    /** Starts a publishing command that uses the publishers' transport. */
    default RbmqProcess publisher(String... arguments) {
        return RbmqProcess.start(client(address(), arguments));
    }

    /** Starts a subscribing command that uses the subscribers' transport. */
    default RbmqProcess subscriber(String... arguments) {
        return RbmqProcess.start(client(subscribersAddress(), arguments));
    }

    /** Starts a local publishing command that uses the publishers' transport. */
    default RbmqProcess localPublisher(String... arguments) {
        return RbmqProcess.startLocally(client(address(), arguments));
    }

    /** Starts a local subscribing command that uses the subscribers' transport. */
    default RbmqProcess localSubscriber(String... arguments) {
        return RbmqProcess.startLocally(client(subscribersAddress(), arguments));
    }

    /** Starts a local subscribing command whose output the test reads. */
    default RbmqProcess unreadLocalSubscriber(String... arguments) {
        return RbmqProcess.startLocallyUnread(client(subscribersAddress(), arguments));
    }

    /** Starts a client command that uses one of the two transports. */
    default RbmqProcess over(String transport, String... arguments) {
        return RbmqProcess.start(clientOver(transport, arguments));
    }

    /** Starts a local client command that uses one of the two transports. */
    default RbmqProcess localOver(String transport, String... arguments) {
        return RbmqProcess.startLocally(clientOver(transport, arguments));
    }

    private String[] clientOver(String transport, String... arguments) {
        String address = transport.equals(pair().publisher()) ? address() : subscribersAddress();
        List<String> all = new ArrayList<>(List.of(client(address, arguments)));
        all.addAll(List.of("--set", "rbmq.publisher.transport=" + transport));
        all.addAll(List.of("--set", "rbmq.subscriber.transport=" + transport));
        return all.toArray(String[]::new);
    }

    private String[] client(String brokersAddress, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        // The client arguments directly follow the command, so that the test's own settings come later and take
        // precedence.
        all.addAll(arguments[0].equals("bench") ? 2 : 1, clientArguments());
        all.addAll(List.of("--broker", brokersAddress));
        return all.toArray(String[]::new);
    }

    @Override
    void close();
}
