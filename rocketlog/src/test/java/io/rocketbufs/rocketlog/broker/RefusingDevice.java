package io.rocketbufs.rocketlog.broker;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * An RDMA device that refuses to register memory for a given right. A real device does so if the memory belongs to a
 * file on a disk, or the limit for locked memory is too low.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class RefusingDevice {
    static final String REASON = "the device refuses to register the memory";

    /** The right for which memory cannot be registered; null if all memory can be registered. */
    volatile Right refused;

    /** Opens a RocketBufs whose listeners use this device. */
    RocketBufs open(Config config) {
        Transport rdma = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("rdma"))
                .findAny()
                .orElseThrow()
                .open(config);
        return RocketBufs.open(config, proxy(Transport.class, rdma, (method, arguments) -> {
            if (method.getName().equals("listen")) {
                TransportAcceptor acceptor = (TransportAcceptor) arguments[1];
                arguments[1] = (TransportAcceptor) connection -> acceptor.established(refusing(connection));
            }
            return method.invoke(rdma, arguments);
        }));
    }

    private TransportConnection refusing(TransportConnection connection) {
        return proxy(TransportConnection.class, connection, (method, arguments) -> {
            Right right = refused;
            boolean isGrant = method.getName().equals("grant") && arguments.length == 4;
            if (right != null && isGrant && ((Set<?>) arguments[3]).contains(right)) {
                throw new TransportException(TransportException.Code.IO, REASON);
            }
            return method.invoke(connection, arguments);
        });
    }

    private interface Calls {
        Object call(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, T target, Calls calls) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                return method.getDeclaringClass() == Object.class
                        ? method.invoke(target, arguments)
                        : calls.call(method, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
