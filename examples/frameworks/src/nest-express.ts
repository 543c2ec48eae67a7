import 'reflect-metadata'
import type { Server } from 'node:http'
import { AuthError, claimEquals, jwtAuth, type RequestRules } from '@jwt-auth/express'
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  Get,
  type MiddlewareConsumer,
  Module,
  Req,
  UseGuards,
} from '@nestjs/common'
import { APP_FILTER, NestFactory } from '@nestjs/core'
import type { Request } from 'express'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const authGuard = (rules?: RequestRules): CanActivate => ({
  canActivate: async (context: ExecutionContext) => {
    await auth.verifyRequest(context.switchToHttp().getRequest<Request>(), rules)
    return true
  },
})

@Catch(AuthError)
class AuthErrorFilter {
  catch(error: AuthError, host: ArgumentsHost) {
    auth.sendError(host.switchToHttp().getResponse(), error)
  }
}

@Controller()
class ReportsController {
  @Get('reports')
  @UseGuards(authGuard())
  getReports(@Req() req: Request) {
    return { userId: auth.getAuth(req).userId }
  }

  @Get('admin')
  @UseGuards(authGuard({ allow: claimEquals('role', 'admin') }))
  getAdmin() {
    return { role: 'admin' }
  }

  @Get()
  getHome() {
    return 'home'
  }
}

@Module({ controllers: [ReportsController], providers: [{ provide: APP_FILTER, useClass: AuthErrorFilter }] })
class AppModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(auth).forRoutes('*')
  }
}

const app = await NestFactory.create(AppModule, { logger: false })
await app.init()
export const server: Server = app.getHttpServer()
